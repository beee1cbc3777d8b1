// What a page can do more with scripts: nothing needs it but the proof of work.

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
