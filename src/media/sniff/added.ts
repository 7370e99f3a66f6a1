/** Recognition of types that plugins add. */

interface AddedSignature {
  id: string
  detect(head: Uint8Array, name: string | undefined): boolean
}

const signatures: AddedSignature[] = []

/** Adds a type, which is asked after all built-in ones. `detect` must not throw. */
export function addSignature(signature: AddedSignature): void {
  signatures.push(signature)
}

/** The id of the first added type that recognises the content. */
export const sniffAdded = (head: Uint8Array, name: string | undefined): string | undefined =>
  signatures.find(({ detect }) => detect(head, name))?.id
