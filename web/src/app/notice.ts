import { signal } from '@preact/signals'

/** A sentence about the whole console, above every page; '' for none. */
export const notice = signal('')
