/** Reads a Dockerfile, as far as ours needs it. */

/** The instructions as [name, arguments], in order; continued lines are joined, comments left out. */
export function instructionsOf(text) {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
    return name ? [[name, rest]] : []
  })
}

/** The stages by their names: what each is made from, and its instructions. */
export function stagesOf(text) {
  const stages = new Map()
  const global = {}
  for (const [name, rest] of instructionsOf(text)) {
    const last = [...stages.values()].at(-1)
    if (name === 'FROM') {
      const [, from, stage] = /^(\S+) AS (\S+)$/.exec(rest)
      stages.set(stage, { from: from.replace(/\$\{(\w+)\}/g, (_, key) => global[key]), instructions: [] })
    } else if (last) last.instructions.push([name, rest])
    else if (name === 'ARG') global[rest.split('=')[0]] = rest.split('=')[1]
  }
  return stages
}

/** Whether a .dockerignore leaves a path out. The last pattern that matches the path or a folder above it decides. */
export function isIgnored(ignore, path) {
  const patterns = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const matches = (pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(/|$)`).test(path)
  return patterns.reduce((out, line) => (matches(line.replace(/^!/, '')) ? !line.startsWith('!') : out), false)
}

/** `A=1 B="two words"` as an object. */
export const assignmentsOf = (text) =>
  Object.fromEntries(
    [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)].map(([, key, quoted, bare]) => [key, quoted ?? bare]),
  )
