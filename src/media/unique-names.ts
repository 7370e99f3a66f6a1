/**
 * Flat names that are all different, regardless of case: a second `a.txt` becomes `a-1.txt`, and so on until the name is
 * really free (with `_` where that is the separator). The first to come keeps its name, and so does a file that is truly called `a-1.txt`.
 * @param first the number of the first repetition
 */
export function uniqueNames(names: readonly string[], separator: '-' | '_' = '-', first = 1): string[] {
  const given = new Set(names.map((name) => name.toLowerCase()))
  const used = new Set<string>()
  return names.map((name) => {
    const dot = name.lastIndexOf('.')
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    let free = name
    for (
      let number = first;
      used.has(free.toLowerCase()) || (free !== name && given.has(free.toLowerCase()));
      number += 1
    )
      free = `${stem}${separator}${number}${extension}`
    used.add(free.toLowerCase())
    return free
  })
}
