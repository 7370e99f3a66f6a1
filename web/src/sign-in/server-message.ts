/** The sentence that the server put into the page, after a sign-in elsewhere failed. */
let message = ''

export function rememberServerMessage(): void {
  message = document.getElementById('alert')?.textContent ?? ''
}

export const serverMessage = (): string => message
