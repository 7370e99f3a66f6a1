/** How a file is encrypted: AES-256, revision 6. */
export interface EncryptionOptions {
  userPassword: string
  ownerPassword: string
  /** `P` of the encryption dictionary, see `permissionBits`; absent: nothing is restricted. */
  permissions?: number
}

/** Options of the saved file: steps of a chain set them, and `save` applies them once at the end. */
export interface SaveOptions {
  /** Passwords and permissions to encrypt with, or 'none' to write plain; absent keeps what the source had. */
  encryption?: EncryptionOptions | 'none'
  /** Also join equal objects: slower, smaller. */
  compress?: boolean
  /** Order for fast web view. */
  linearize?: boolean
}
