/** The number formats of the spreadsheet library ([ECMA-376] 18.8.30). */
export interface NumberFormats {
  format(code: string, value: number, options?: { date1904?: boolean }): string
  is_date(code: string): boolean
  /** The built-in formats by number. */
  get_table(): Record<number, string>
  parse_date_code(value: number, options?: { date1904?: boolean }): { y: number; m: number; d: number } | null
}
