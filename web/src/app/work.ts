import { useSignal } from '@preact/signals'
import { sentenceOf } from '../api/call.ts'

/** An action of a page: whether it runs, and why it failed. */
export interface Work {
  isBusy: boolean
  message: string
  /** Shows a sentence; '' clears it. */
  say(sentence: string): void
  /** Runs an action once at a time, and shows its error. */
  run(action: () => Promise<void>): Promise<void>
}

export function useWork(first = ''): Work {
  const isBusy = useSignal(false)
  const message = useSignal(first)
  return {
    isBusy: isBusy.value,
    message: message.value,
    say(sentence) {
      message.value = sentence
    },
    async run(action) {
      if (isBusy.peek()) return
      isBusy.value = true
      message.value = ''
      try {
        await action()
      } catch (error) {
        message.value = sentenceOf(error)
      } finally {
        isBusy.value = false
      }
    },
  }
}

/** The text fields of a form that is submitted. */
export function fieldsOf(event: SubmitEvent): Record<string, string> {
  event.preventDefault()
  const entries = [...new FormData(event.currentTarget as HTMLFormElement)]
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}
