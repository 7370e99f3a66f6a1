/** What the pages share. Addresses are relative, so that they hold below any BASE_PATH. */

/** The element with an id. */
export const byId = (id) => document.getElementById(id)

/**
 * Calls the API. Gives the answer; what it refuses is thrown with its `code` and all fields of the answer.
 * @param token another credential than the cookie, where one is needed
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

/** Says what went wrong; '' says nothing. */
export function say(sentence) {
  byId('alert').textContent = sentence
}

/** Runs a form: its fields go to `work`, and what that throws is said as a sentence. */
export function onSubmit(form, work) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    say('')
    try {
      await work(Object.fromEntries(new FormData(form)))
    } catch (error) {
      say(error.retryAfter ? `${error.message}. Try again in ${error.retryAfter} s` : error.message)
    } finally {
      button.disabled = false
    }
  })
}
