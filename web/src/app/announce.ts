/** Messages for screen readers, such as progress. */
import { signal } from '@preact/signals'

export const announcement = signal('')

export function announce(sentence: string): void {
  announcement.value = sentence
}
