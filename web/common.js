/** Shared by the pages. Addresses are relative, so that they work below any BASE_PATH. */

/** The element with an id. */
export const byId = (id) => document.getElementById(id)

/**
 * Calls the API and returns the response. Errors have the `code` and all other fields of the response.
 * @param token a credential other than the cookie, if needed
 */
export async function call(method, path, body, token) {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  throw Object.assign(new Error(answer.error ?? `The server answered ${response.status}`), answer)
}

/** Shows one part of the page, moves the focus into it, and hides the others. */
export function show(part) {
  for (const one of document.querySelectorAll('[data-part]')) one.hidden = one !== part
  part.querySelector('input')?.focus()
}

/** Shows a message; '' clears it. */
export function say(sentence) {
  byId('alert').textContent = sentence
}

/** Runs `work` with the button disabled, and shows its error. */
export async function run(button, work) {
  button.disabled = true
  say('')
  try {
    await work()
  } catch (error) {
    say(error.retryAfter ? `${error.message}. Try again in ${error.retryAfter} s` : error.message)
  } finally {
    button.disabled = false
  }
}

/** Runs a form: its fields go to `work`. */
export function onSubmit(form, work) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    return run(form.querySelector('button'), () => work(Object.fromEntries(new FormData(form))))
  })
}

/** Runs `work` when the button is clicked. */
export function onClick(button, work) {
  button.addEventListener('click', () => run(button, work))
}
