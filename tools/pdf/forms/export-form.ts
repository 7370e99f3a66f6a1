import { MediaprocError } from '../../../src/errors.ts'
import { writeRows } from '../../../src/media/delimited.ts'
import { printableName } from '../../../src/media/file.ts'
import { type ExportedField, exportFields, fdfOf } from '../../../src/media/pdf/form/export.ts'
import { pdfTool } from '../../../src/tool/pdf-tool.ts'
import { choice } from '../../../src/tool/settings.ts'

export default pdfTool({
  id: 'export-form',
  summary: 'List the fields of a PDF form with their types, values, choices and places',
  suffix: 'fields',
  settings: {
    format: choice(['json', 'csv', 'fdf'], 'JSON and CSV have all facts; FDF has the values, for PDF readers', {
      default: 'json',
    }),
  },
  output: { kind: 'file+report', type: { setting: 'format' } },
  examples: [
    { title: 'the fields of a form', inputs: ['form.pdf'] },
    { title: 'a table of them', inputs: ['form.pdf'], settings: { format: 'csv' } },
  ],
  produce([document], { format }, { files: [file] }) {
    const fields = exportFields(document.pdf)
    if (fields.length === 0)
      throw new MediaprocError('TARGET_UNREACHABLE', `${printableName(file.name)} has no form fields`, {
        hint: 'Scanned and drawn forms are pictures; only fields that a reader can fill are listed.',
      })
    const data =
      format === 'fdf'
        ? fdfOf(fields, file.name)
        : format === 'csv'
          ? table(fields)
          : `${JSON.stringify(fields, null, 2)}\n`
    return { files: [{ type: format, data }], report: { fields: fields.length } }
  },
})

function table(fields: readonly ExportedField[]): string {
  const header = [
    'name',
    'type',
    'value',
    'options',
    'page',
    'x',
    'y',
    'width',
    'height',
    'required',
    'readOnly',
    'maxLength',
  ]
  const rows = fields.map((field) => [
    field.name,
    field.type,
    Array.isArray(field.value) ? field.value.join(' | ') : String(field.value),
    field.options.join(' | '),
    ...[field.page, ...(field.rectangle ?? ['', '', '', ''])].map((value) => String(value ?? '')),
    String(field.required),
    String(field.readOnly),
    String(field.maxLength ?? ''),
  ])
  return writeRows([header, ...rows])
}
