import { writeFile } from 'node:fs/promises'
import { jsonText, parseJson } from '../../src/engines/documents/json.ts'
import { buildXml, parseXml } from '../../src/engines/xml.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { boolean } from '../../src/tool/settings.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { documentOf } from './json-xml/document.ts'

export default tool({
  section: 'files',
  id: 'json-xml',
  summary: 'Convert JSON to XML and XML to JSON',
  input: oneFile('json', 'xml', 'txt'),
  settings: {
    pretty: boolean('pretty-print with line breaks and indents', { default: true }),
    encoding: textEncoding('the file'),
  },
  output: { kind: 'file', type: { byInput: { xml: 'json', json: 'xml', txt: 'xml' } } },
  naming: { suffix: 'json-xml', converts: true },
  conversion: true,
  engines: ['xml'],
  timeoutS: 60,
  batch: true,
  examples: [
    { title: 'JSON as XML', inputs: ['members.json'] },
    { title: 'on one line', inputs: ['members.json'], settings: { pretty: false } },
  ],
  async run(job, { pretty, encoding }) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const text = await readText(file, { encoding, warn: job.warn })
    const toJson = extensionOf(file.name) === 'xml' || file.type.id === 'xml'
    const format = toJson ? 'json' : 'xml'
    const name = convertedName(file, 'json-xml', format)
    const path = await job.output(name)
    await writeFile(
      path,
      toJson
        ? jsonText(await parseXml(text, shown, { warn: job.warn }), pretty ? 2 : 0)
        : buildXml(documentOf(await parseJson(text, shown, job.warn)), shown, { pretty, warn: job.warn }),
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
