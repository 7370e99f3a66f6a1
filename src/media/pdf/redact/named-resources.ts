import type { PDFObject } from '../../../engines/mupdf.ts'
import { nameBytes } from '../page/content.ts'
import { entriesOf } from '../structure/trees.ts'

/** The resources of a page or form, by the names that its content uses. */
export class NamedResources {
  readonly #resources: PDFObject
  /** The entries of groups with their names as the library reads them. */
  readonly #groups = new Map<string, Map<string, PDFObject[]>>()

  constructor(resources: PDFObject) {
    this.#resources = resources
  }

  /**
   * The resources that a name as written in content may refer to. The library reads names as UTF-8: names with other
   * bytes become equal, and are not found by these bytes.
   */
  find(kind: string, written: string | undefined): PDFObject[] {
    if (!written?.startsWith('/') || !this.#resources.isDictionary()) return []
    const name = nameBytes(written.slice(1)).toString('utf8')
    const found = name.includes('\ufffd')
      ? (this.#group(kind).get(name) ?? [])
      : [this.#resources.get(kind)].filter((group) => group.isDictionary()).map((group) => group.get(name))
    return found.filter((one) => one.isDictionary())
  }

  #group(kind: string): Map<string, PDFObject[]> {
    let group = this.#groups.get(kind)
    if (!group) {
      group = new Map()
      for (const [key, value] of entriesOf(this.#resources.get(kind))) {
        const values = group.get(key)
        if (values) values.push(value)
        else group.set(key, [value])
      }
      this.#groups.set(kind, group)
    }
    return group
  }
}
