import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isKeyboardRun } from './keyboard-runs.ts'

suite('keyboard runs', () => {
  for (const text of [
    'qwertyuiop12',
    'qwertyuiop[]',
    'poiuytrewq12',
    'asdfghjkl;12',
    '1qaz2wsx3edc',
    'zaq12wsxcde3',
    '1q2w3e4r5t6y',
    '!qaz@wsx#edc',
    'qwerty123456',
    '123456qwerty',
    '123qweasdzxc',
    'qwertzuiopü+',
    'azertyuiopqs',
    'йцукенгшщзхъ',
    'abcdefghijkl',
    'zyxwvutsrqpo',
    'abcdef654321',
    '123456789012',
  ]) {
    test(`${text} is one`, () => assert.equal(isKeyboardRun(text), true))
  }

  for (const text of [
    'quiet melons',
    'quietmelonsrolluphill',
    'were we sweet as they were',
    'correcthorsebatterystaple',
    'trefoil needed on hills',
    'kx7#pq2!mz9w',
    '314159265358',
    '🔑🌂🎈🐌🍋🚲🧵🪁🎺🐙🧊🌵',
  ]) {
    test(`${text} is none`, () => assert.equal(isKeyboardRun(text), false))
  }
})
