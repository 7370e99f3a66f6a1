/** Moments of the API in the language of the browser. */
export const dayText = (moment: string): string => new Date(moment).toLocaleDateString()

export const momentText = (moment: string): string =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
