import { extname } from 'node:path'

export interface UniqueNameOptions {
  /** Formats a repeated name; the default is that of files, `a-1.txt`. */
  repeat?: (name: string, number: number) => string
  /** The number of the first repetition, 1 by default. */
  first?: number
  /** Names reserved for entries that originally have them: no repetition uses them. */
  reserved?: Iterable<string>
  /** Whether `A` and `a` are different names; by default they are equal, as on many file systems. */
  caseSensitive?: boolean
}

/** Formats repeated file names with the number before the extension: `a.txt` with `-` becomes `a-1.txt`. */
export function beforeExtension(separator: '-' | '_'): (name: string, number: number) => string {
  return (name, number) => {
    const extension = extname(name)
    return `${name.slice(0, name.length - extension.length)}${separator}${number}${extension}`
  }
}

/** Generates unique names in time linear in their number, even if all requested names are equal. */
export class UniqueNames {
  readonly #repeat: (name: string, number: number) => string
  readonly #first: number
  readonly #fold: (name: string) => string
  readonly #reserved: ReadonlySet<string>
  readonly #used = new Set<string>()
  /** The next number to try for a name: all lower ones are permanently taken. */
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

  /** Returns the name itself the first time, a numbered one afterwards. */
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
 * Makes names unique: the second `a.txt` becomes `a-1.txt`. The first one keeps its name, and so does a file that is
 * originally called `a-1.txt`.
 */
export function uniqueNames(names: readonly string[], options: Omit<UniqueNameOptions, 'reserved'> = {}): string[] {
  const unique = new UniqueNames({ ...options, reserved: names })
  return names.map((name) => unique.give(name))
}
