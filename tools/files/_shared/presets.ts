import { type PresetRow, preset } from '../../../src/tool/preset.ts'

/** One row for each preset of this section whose base tool is implemented. */
export const presets: readonly PresetRow[] = [
  preset('files', 'convert-spreadsheet', 'excel-to-csv', ['xlsx', 'xls'], 'csv', { format: 'csv' }),
]
