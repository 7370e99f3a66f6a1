import { type DrawnText, drawText, type TextLook } from '../../../../src/media/image/text/text.ts'

/** A line of text, shortened with an ellipsis to `room` px; undefined when there is no text or no room. */
export async function fitText(look: TextLook, room: number): Promise<DrawnText | undefined> {
  const text = look.text.replace(/\s+/g, ' ').trim()
  if (text === '' || room < look.size) return undefined
  const whole = await drawText({ ...look, text })
  if (whole.width <= room) return whole
  const letters = Array.from(text)
  let best: DrawnText | undefined
  let [least, most] = [1, letters.length - 1]
  while (least <= most) {
    const count = Math.floor((least + most) / 2)
    const drawn = await drawText({ ...look, text: `${letters.slice(0, count).join('').trimEnd()}…` })
    if (drawn.width <= room) {
      best = drawn
      least = count + 1
    } else most = count - 1
  }
  return best
}
