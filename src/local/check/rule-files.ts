import { relative, resolve, sep } from 'node:path'
import { globFiles } from '../../engines/glob-files.ts'
import type { InputItem } from '../inputs.ts'
import { namedInput } from '../inputs.ts'
import { ruleTest } from './match-files.ts'
import type { Rule } from './rule.ts'

/** Characters with a meaning in patterns, which a folder's name may contain. */
const escapeGlob = (folder: string): string => folder.replace(/[()[\]{}!*?@+\\]/g, '\\$&')

const isInstalled = (path: string): boolean => path.split(/[\\/]/).includes('node_modules')

/**
 * The files that the patterns of rules match, for a check without files on the command line; without hidden files and
 * installed packages. In natural order, each once.
 */
export async function filesOfRules(rules: readonly Rule[]): Promise<InputItem[]> {
  const found = new Set<string>()
  for (const rule of rules) {
    const isAbout = ruleTest(rule)
    // Relative to the current folder, so that messages show short names.
    const folder = relative('.', rule.folder) || '.'
    for (const pattern of rule.files.filter((one) => !one.startsWith('!'))) {
      const deep = pattern.includes('/') ? pattern.replace(/^\.\//, '') : `**/${pattern}`
      const listed = await globFiles(folder === '.' ? deep : `${escapeGlob(folder).split(sep).join('/')}/${deep}`)
      for (const path of listed)
        if (isAbout(resolve(path)) && (!isInstalled(path) || isInstalled(pattern))) found.add(path)
    }
  }
  return [...found].map(namedInput)
}
