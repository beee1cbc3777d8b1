/** `MASTER_KEY` of every node in the tests: on PostgreSQL all nodes need the same. */
export const masterKey = '7c1f0b93e2a84d5698fe03b1d67a2c4459e80f137b6ad2c59410ee8f23bd5706'
