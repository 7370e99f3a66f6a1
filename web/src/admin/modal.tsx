import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../app/icons.tsx'
import { STRINGS } from '../strings.ts'

interface ModalProps {
  title: string
  onClose(): void
  children: ComponentChildren
}

/** A dialog over the page; Escape and its button close it. */
export function Modal({ title, onClose, children }: ModalProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="dialog modal" aria-labelledby={id} onClose={onClose}>
      <div class="row apart modal-head">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label={STRINGS.admin.close}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
