/**
 * The same text in one piece: V8 keeps the parts of a joined text and the steps of joining them, which takes three times
 * the memory. For texts of which many are kept, such as the names of the files of a batch.
 */
export const flatText = (text: string): string => Buffer.from(text).toString()
