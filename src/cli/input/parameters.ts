import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'

/** The values of `--set NAME=VALUE` by name. @throws MediaprocError USAGE for other forms, or a name given twice */
export function parametersOf(set: readonly string[] = []): Record<string, string> {
  const values = new Map<string, string>()
  for (const pair of set) {
    const end = pair.indexOf('=')
    if (end < 1)
      throw new MediaprocError('USAGE', `Expected NAME=VALUE for --set, got ${printableName(pair) || 'nothing'}`, {
        hint: 'Such as --set width=800',
      })
    const name = pair.slice(0, end)
    if (values.has(name))
      throw new MediaprocError('USAGE', `Expected one value for --set ${printableName(name)}, got two`, { hint: '' })
    values.set(name, pair.slice(end + 1))
  }
  return Object.fromEntries(values)
}
