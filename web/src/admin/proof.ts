import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Proof } from '../account/confirm.tsx'

/** The confirmation of identity that all pages of administrators share. */
export const ProofContext = createContext<Proof>({
  guard: (change) => change(),
  isPending: false,
  settle: () => undefined,
})

export const useSharedProof = (): Proof => useContext(ProofContext)
