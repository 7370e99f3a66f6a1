import { readFile, writeFile } from 'node:fs/promises'
import { MediaprocError } from '../../src/errors.ts'
import { decodeText } from '../../src/media/delimited.ts'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { jsonText } from './yaml-json/json-text.ts'
import { readYaml, yamlOfJson } from './yaml-json/yaml.ts'

/** Larger input is refused (catalogue), bytes. */
const MAX_BYTES = 10 * 1024 * 1024

export default tool({
  section: 'files',
  id: 'yaml-json',
  summary: 'Convert YAML to JSON and JSON to YAML',
  input: oneFile('yaml', 'json', 'txt'),
  settings: {},
  output: { kind: 'file', type: { byInput: { json: 'yaml', yaml: 'json', txt: 'json' } } },
  conversion: true,
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'JSON that people edit', inputs: ['people.json'] }],
  async run(job) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    if (file.bytes > MAX_BYTES)
      throw new MediaprocError('LIMIT_EXCEEDED', `${shown} has ${file.bytes} bytes; at most ${MAX_BYTES} are read`)
    const text = decodeText(await readFile(file.path))
    const format = extensionOf(file.name) === 'json' ? 'yaml' : 'json'
    const name = convertedName(file, 'yaml-json', format)
    const path = await job.output(name)
    await writeFile(
      path,
      format === 'json' ? jsonText(await readYaml(text, shown), shown) : await yamlOfJson(text, shown),
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
