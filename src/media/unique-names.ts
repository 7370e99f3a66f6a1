import { extname } from 'node:path'

export interface UniqueNameOptions {
  /** How the repetition of a name is written; the default is that of files, `a-1.txt`. */
  repeat?: (name: string, number: number) => string
  /** The number of the first repetition, 1 by default. */
  first?: number
  /** Names that stay for those who are truly called so: no repetition takes them. */
  reserved?: Iterable<string>
  /** Whether `A` and `a` are two names; on many file systems they are one, so by default they are not. */
  caseSensitive?: boolean
}

/** Repetitions of file names, before the extension: `a.txt` with `-` becomes `a-1.txt`. */
export function beforeExtension(separator: '-' | '_'): (name: string, number: number) => string {
  return (name, number) => {
    const extension = extname(name)
    return `${name.slice(0, name.length - extension.length)}${separator}${number}${extension}`
  }
}

/** Gives out names of which none comes twice, in time linear in their number, also when all that are asked for are equal. */
export class UniqueNames {
  readonly #repeat: (name: string, number: number) => string
  readonly #first: number
  readonly #fold: (name: string) => string
  readonly #reserved: ReadonlySet<string>
  readonly #used = new Set<string>()
  /** The next number to try for a name: all below it are taken for good. */
  readonly #next = new Map<string, number>()

  constructor({
    repeat = beforeExtension('-'),
    first = 1,
    reserved = [],
    caseSensitive = false,
  }: UniqueNameOptions = {}) {
    this.#repeat = repeat
    this.#first = first
    this.#fold = caseSensitive ? (name) => name : (name) => name.toLowerCase()
    this.#reserved = new Set(Array.from(reserved, this.#fold))
  }

  /** The name itself for the first to come, a numbered one for later ones. */
  give(name: string): string {
    const key = this.#fold(name)
    let free = name
    if (this.#used.has(key)) {
      let number = this.#next.get(key) ?? this.#first
      do free = this.#repeat(name, number++)
      while (this.#used.has(this.#fold(free)) || this.#reserved.has(this.#fold(free)))
      this.#next.set(key, number)
    }
    this.#used.add(this.#fold(free))
    return free
  }
}

/**
 * Names that are all different: the second `a.txt` becomes `a-1.txt`. The first to come keeps its name, and so does a
 * file that is truly called `a-1.txt`.
 */
export function uniqueNames(names: readonly string[], options: Omit<UniqueNameOptions, 'reserved'> = {}): string[] {
  const unique = new UniqueNames({ ...options, reserved: names })
  return names.map((name) => unique.give(name))
}
