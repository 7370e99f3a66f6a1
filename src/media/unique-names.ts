/**
 * Flat names that are all different, regardless of case: a second `a.txt` becomes `a-1.txt`, and so on until the name is
 * really free. The first to come keeps its name, and so does a file that is truly called `a-1.txt`.
 */
export function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names.map((name) => name.toLowerCase()))
  const used = new Set<string>()
  return names.map((name) => {
    const dot = name.lastIndexOf('.')
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
    let free = name
    for (let number = 1; used.has(free.toLowerCase()) || (free !== name && given.has(free.toLowerCase())); number += 1)
      free = `${stem}-${number}${extension}`
    used.add(free.toLowerCase())
    return free
  })
}
