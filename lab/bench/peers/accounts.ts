export const account = {
  name: 'Someone',
  email: 'someone@example.org',
  password: 'a password of the benchmark',
}
