/** What a document asks for outside itself, and does not get. */
export function leftOutSentence(name: string, count: number): string {
  const [what, is] = count === 1 ? ['a file', 'is'] : [`${count} files`, 'are']
  return `${name} asks for ${what} outside itself (pictures, styles), which ${is} left out: nothing is loaded`
}
