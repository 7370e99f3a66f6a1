/** Letters and digits that are not confused with one another, and characters that need no escape in a shell. */
const CLASSES = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnopqrstuvwxyz', '23456789', '-_.+:'] as const

const LENGTH = 20

/** A number from 0 to below `limit`, each equally likely. */
function randomBelow(limit: number): number {
  const values = new Uint32Array(1)
  const most = Math.floor(2 ** 32 / limit) * limit
  for (;;) {
    const [value = 0] = crypto.getRandomValues(values)
    if (value < most) return value % limit
  }
}

/** A random password of 20 characters with letters of both cases, digits and a special character: 115 bits. */
export function generatePassword(): string {
  const all = CLASSES.join('')
  const first = CLASSES.map((one) => one.charAt(randomBelow(one.length)))
  const rest = Array.from({ length: LENGTH - first.length }, () => all.charAt(randomBelow(all.length)))
  const characters = [...first, ...rest]
  for (let at = characters.length - 1; at > 0; at -= 1) {
    const other = randomBelow(at + 1)
    const [a = '', b = ''] = [characters[at], characters[other]]
    characters[at] = b
    characters[other] = a
  }
  return characters.join('')
}
