import { writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { extensionOf, type MediaFile, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
import { mimeOf } from '../../src/media/type.ts'
import { type Job, oneFile, tool } from '../../src/tool/contract.ts'
import { textEncoding } from '../../src/tool/text-encoding.ts'
import { jsonText } from './yaml-json/json-text.ts'
import { readYaml, yamlOfJson } from './yaml-json/yaml.ts'

/** Larger input is refused (catalogue), bytes. */
const MAX_BYTES = 10 * 1024 * 1024

export default tool({
  section: 'files',
  id: 'yaml-json',
  summary: 'Convert YAML to JSON and JSON to YAML',
  input: oneFile('yaml', 'json', 'txt'),
  settings: { encoding: textEncoding('the file') },
  output: { kind: 'file', type: { byInput: { json: 'yaml', yaml: 'json', txt: 'json' } } },
  naming: { suffix: 'yaml-json', converts: true },
  conversion: true,
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'JSON that people edit', inputs: ['members.json'] }],
  async run(job, { encoding }) {
    const file = job.inputs[0]
    const shown = printableName(file.name)
    const text = await readText(file, { maxBytes: MAX_BYTES, encoding, warn: job.warn })
    const format = extensionOf(file.name) === 'json' ? 'yaml' : 'json'
    const name = convertedName(file, 'yaml-json', format)
    const path = await job.output(name)
    await writeFile(
      path,
      format === 'json' ? await asJson(file, text, job.warn) : await yamlOfJson(text, shown, job.warn),
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})

/**
 * @throws INVALID_FILE for a file with another extension that contains only a text: TOML and notes are technically
 * valid YAML
 */
async function asJson(file: MediaFile, text: string, warn: Job['warn']): Promise<string> {
  const shown = printableName(file.name)
  const value = await readYaml(text, shown, warn)
  if (typeof value === 'string' && file.type.id !== 'yaml')
    throw new MediaprocError('INVALID_FILE', `${shown} is plain text, not YAML`, {
      hint: 'If it is YAML, use the extension .yaml.',
    })
  return jsonText(value, shown)
}
