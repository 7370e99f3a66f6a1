import { writeFile } from 'node:fs/promises'
import { extensionOf, printableName } from '../../src/media/file.ts'
import { convertedName } from '../../src/media/naming.ts'
import { readText } from '../../src/media/text-file.ts'
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
  naming: { suffix: 'yaml-json', converts: true },
  conversion: true,
  timeoutS: 60,
  batch: true,
  examples: [{ title: 'JSON that people edit', inputs: ['people.json'] }],
  async run(job) {
    const file = job.inputs[0]!
    const shown = printableName(file.name)
    const text = await readText(file, MAX_BYTES)
    const format = extensionOf(file.name) === 'json' ? 'yaml' : 'json'
    const name = convertedName(file, 'yaml-json', format)
    const path = await job.output(name)
    await writeFile(
      path,
      format === 'json' ? jsonText(await readYaml(text, shown, job.warn), shown) : await yamlOfJson(text, shown),
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
