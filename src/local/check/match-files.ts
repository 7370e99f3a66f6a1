import { relative, sep } from 'node:path'
import { globTest, type PathTest } from '../../engines/glob.ts'
import type { InputItem } from '../inputs.ts'
import type { Rule } from './rule.ts'

/** A test of absolute paths. */
export type RuleTest = (path: string) => boolean

const anyOf =
  (tests: readonly PathTest[]): PathTest =>
  (path) =>
    tests.some((test) => test(path))

/**
 * Which files a rule is about. Patterns are relative to the folder of the rules; those that start with `!` leave files
 * out. A pattern without a slash is compared with the name alone.
 */
export function ruleTest({ files, folder }: Pick<Rule, 'files' | 'folder'>): RuleTest {
  const wanted = files.filter((pattern) => !pattern.startsWith('!'))
  const left = anyOf(files.filter((pattern) => pattern.startsWith('!')).map((pattern) => globTest(pattern.slice(1))))
  const matches = wanted.length === 0 ? () => true : anyOf(wanted.map(globTest))
  return (path) => {
    const inside = relative(folder, path).split(sep).join('/')
    // A `**` does not match `..`: files elsewhere are compared by their whole path.
    const seen = inside.startsWith('../') ? path.split(sep).join('/').replace(/^\//, '') : inside
    return matches(seen) && !left(seen)
  }
}

/**
 * The rules about each input. Downloads and standard input have no path: only rules without patterns are about them.
 */
export function rulesByInput(rules: readonly Rule[], items: readonly InputItem[]): Rule[][] {
  const tests = rules.map((rule) => ({ rule, isAbout: ruleTest(rule) }))
  return items.map(({ kind, path }) =>
    tests.flatMap(({ rule, isAbout }) => {
      if (kind !== 'file' || path === undefined) return rule.files.length === 0 ? [rule] : []
      return isAbout(path) ? [rule] : []
    }),
  )
}
