import { MediaprocError } from '../../../errors.ts'
import { listed } from '../../../wording.ts'
import type { Choice } from './choices.ts'
import { type FieldValue, FLAGS, type FormField } from './fields.ts'

const YES = new Set(['true', 'yes', 'on', '1', 'x', 'checked'])
const NO = new Set(['false', 'no', 'off', '0', ''])

export function fieldFault({ name }: FormField, what: string, hint: string): MediaprocError {
  return new MediaprocError('TARGET_UNREACHABLE', `The field ${listed([name])} ${what}`, { hint })
}

/** The text for a text field. @throws MediaprocError TARGET_UNREACHABLE */
export function checkText(field: FormField, value: FieldValue): string {
  if (typeof value === 'object')
    throw fieldFault(field, 'takes one text', 'Only lists with several choices take several.')
  const text = String(value).replace(/\r\n?/g, '\n').normalize('NFC')
  const { length } = [...text]
  if (field.maxLength > 0 && length > field.maxLength)
    throw fieldFault(field, `takes at most ${field.maxLength} characters, and got ${length}`, 'Shorten the text.')
  if (text.includes('\n') && !(field.flags & FLAGS.multiline))
    throw fieldFault(field, 'has one line, and the text has several', 'Join the lines.')
  return text
}

/** The choices of a list or menu, by value or label. @throws MediaprocError TARGET_UNREACHABLE */
export function chosenValues(field: FormField, value: FieldValue): Choice[] {
  const wanted = typeof value === 'object' ? value : value === '' ? [] : [String(value)]
  if (wanted.length > 1 && !(field.flags & FLAGS.multiSelect && field.type === 'list'))
    throw fieldFault(field, 'takes one choice', 'Only lists with several choices take several.')
  return wanted.map((one) => {
    const choice = find(field.choices, one)
    if (choice) return choice
    if (field.type === 'dropdown' && field.flags & FLAGS.editable) return { value: one, label: one }
    throw unknownChoice(field, one)
  })
}

/** The state of a check box or of radio buttons; Off for none. @throws MediaprocError TARGET_UNREACHABLE */
export function chosenState(field: FormField, value: FieldValue): string {
  if (typeof value === 'object')
    throw fieldFault(field, 'takes one value', 'Only lists with several choices take several.')
  const { choices } = field
  const [first] = choices
  if (first === undefined) throw fieldFault(field, 'has no states', 'The tool repair-pdf may help.')
  const word = String(value).trim()
  const choice = find(choices, word)
  if (choice) return choice.value
  if (NO.has(word.toLowerCase())) return 'Off'
  if (YES.has(word.toLowerCase()) && field.type === 'checkbox') return first.value
  throw unknownChoice(field, word)
}

function find(choices: readonly Choice[], word: string): Choice | undefined {
  const same = (text: string) => text.toLowerCase() === word.toLowerCase()
  return (
    choices.find((one) => one.value === word || one.label === word) ??
    choices.find((one) => same(one.value) || same(one.label))
  )
}

/** The value is not repeated: forms hold personal data. */
function unknownChoice(field: FormField, word: string): MediaprocError {
  const labels = field.choices.map(({ label }) => label)
  const choices = field.type === 'checkbox' ? ['true', 'false', ...labels] : labels
  return fieldFault(field, `has no choice ${listed([word])}`, `It has: ${listed(choices, 20)}.`)
}
