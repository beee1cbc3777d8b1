export const overview = {
  title: 'Overview',
  users: 'Users',
  sessions: 'Sessions',
}
