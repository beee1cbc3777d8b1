/** The account of the programs in which one must be made. */
export const account = {
  name: 'Someone',
  email: 'someone@example.org',
  password: 'a password of the benchmark',
}
