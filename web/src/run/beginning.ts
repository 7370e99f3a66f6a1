/** The beginning of a text. */
export interface Beginning {
  text: string
  /** The file has more. */
  isCut: boolean
}

/** Reads at most a number of bytes of a response, and ends the download there. A character that is cut is left out. */
export async function beginningOf(response: Response, most: number): Promise<Beginning> {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  for (let left = most; reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value.subarray(0, left), { stream: true })
    if (value.length > left) {
      await reader.cancel()
      return { text, isCut: true }
    }
    left -= value.length
  }
  return { text: text + decoder.decode(), isCut: false }
}
