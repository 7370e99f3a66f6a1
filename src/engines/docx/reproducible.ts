import { required } from '../../lists.ts'
import { packParts, unpackParts } from '../documents/zip-package.ts'

/** The timestamp of entries in our archives. */
const MADE = '1980-01-01T00:00:00Z'
/** The library generates random relation ids. */
const DRAWN = /rId(?=[\w-]{21}")[\w-]{21}/g

/** Makes a DOCX depend only on its content: no timestamps, and numbered relations. */
export async function reproducible(bytes: Uint8Array): Promise<Uint8Array> {
  const parts = await unpackParts(bytes)
  const names = new Map<string, string>()
  const counted = (drawn: string): string => {
    const name = names.get(drawn) ?? `rIdL${names.size + 1}`
    names.set(drawn, name)
    return name
  }
  // Processes the document before its list of relations, whose order can vary.
  const order = [...parts.keys()].sort()
  for (const name of order) {
    if (!/\.(xml|rels)$/.test(name)) continue
    const text = required(parts, name).toString()
    // The library numbers images across documents.
    let pictures = 0
    const numbered = text.replace(/(<wp:docPr id=")\d+/g, (_whole, before: string) => `${before}${++pictures}`)
    const dated = name === 'docProps/core.xml' ? numbered.replace(/>\d{4}-\d\d-\d\dT[^<]*</g, `>${MADE}<`) : numbered
    parts.set(name, Buffer.from(dated.replace(DRAWN, counted)))
  }
  return packParts(new Map(order.map((name) => [name, required(parts, name)])))
}
