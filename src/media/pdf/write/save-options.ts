/** Encryption of a file: AES-256, revision 6. */
export interface EncryptionOptions {
  userPassword: string
  ownerPassword: string
  /** `P` of the encryption dictionary, see `permissionBits`; absent: no restrictions. */
  permissions?: number
}

/** Options of the saved file: steps of a chain set them, and `save` applies them once at the end. */
export interface SaveOptions {
  /** Passwords and permissions for encryption, or 'none' to write unencrypted; absent keeps the source's encryption. */
  encryption?: EncryptionOptions | 'none'
  /** Also merge duplicate objects: slower, smaller. */
  compress?: boolean
  /** Linearize for fast web view. */
  linearize?: boolean
}
