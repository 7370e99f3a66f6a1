import { writeFile } from 'node:fs/promises'
import { parseJson } from '../../src/engines/json.ts'
import { buildXml, isWellFormed, parseXml } from '../../src/engines/xml.ts'
import { MediaprocError } from '../../src/errors.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { documentOf } from './json-xml/document.ts'

export default tool({
  section: 'files',
  id: 'json-xml',
  summary: 'Convert JSON to XML and XML to JSON',
  input: oneFile('json', 'xml', 'txt'),
  settings: {
    pretty: boolean('with line breaks and indents', { default: true }),
  },
  output: { kind: 'file', type: { byInput: { xml: 'json', json: 'xml', txt: 'xml' } } },
  naming: { suffix: 'json-xml', converts: true },
  conversion: true,
  engines: ['xml'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'JSON as XML', inputs: ['people.json'] },
    { title: 'on one line', inputs: ['people.json'], settings: { pretty: false } },
  ],
  async run(job, { pretty }) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const text = await readText(file)
    const toJson = extensionOf(file.name) === 'xml' || file.type.id === 'xml'
    const format = toJson ? 'json' : 'xml'
    const name = convertedName(file, 'json-xml', format)
    const path = await job.output(name)
    await writeFile(
      path,
      toJson ? JSON.stringify(await parseXml(text, shown), null, pretty ? 2 : 0) : await asXml(text, shown, pretty),
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

async function asXml(text: string, name: string, pretty: boolean): Promise<string> {
  const xml = await buildXml(documentOf(await parseJson(text, name), name), pretty)
  // Text may hold characters that XML has no place for, such as most control characters.
  if (!(await isWellFormed(xml)) || hasForbidden(xml))
    throw new MediaprocError('PROCESSING_FAILED', `${name} holds characters that XML cannot hold`)
  return xml
}

/** XML 1.0, section 2.2: what is no character there. */
function hasForbidden(xml: string): boolean {
  for (let at = 0; at < xml.length; at += 1) {
    const code = xml.charCodeAt(at)
    if ((code < 32 && code !== 9 && code !== 10 && code !== 13) || code === 0xfffe || code === 0xffff) return true
  }
  return false
}
