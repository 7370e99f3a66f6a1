/**
 * Files of other programs and the pixels that these read from them, compressed: a picture of 9 × 7 pixels by ImageMagick 6.9.11
 * (`convert s.png s.sgi`, and others), and blocks of 8 × 8 pixels by Pillow 12.3.0, which is also the reference for them.
 */
import { gunzipSync } from 'node:zlib'

const unpack = (text: string): Buffer => gunzipSync(Buffer.from(text, 'base64'))

/** RGB, 9 × 7. */
export const PIXELS = unpack(
  'H4sIAAAAAAACA/vPwPAfB7rCoAVEVxk0rzOoA8mLDLoXGPQuM2gDBVcxhK5hCNrC4LWNwWMVQ8gshpRpDBlzGRKXM4TXM9S3M5RPZcicwZDWzFCdxjAjlmFhOsP0cob2UIZVsQyLchkmljF05DFMCGRYa81w2I7hgC/DRi2GKzoMl8wYTtgyHLRkOArkyjI8lGe4r8FwDeIcRoa/zAy/mRj+ILsRAARoJ5i9AAAA',
)

/** Grey, 9 × 7: black and white. */
export const MONOCHROME = unpack('H4sIAAAAAAACA/v/HxMwIDMZ8AIActcWxD8AAAA=')

/** The picture in several formats. */
export const FILES = {
  sgiPacked: unpack(
    'H4sIAAAAAAACA2O8xcjIwMzAycAOJCHgP8MoGEGAaQUQ7wXiW0D8nYGBWQSIDYHYD8jfCMSngPg5kM8CxIpAbAfEgUCxLUB8FohfAfnsQKwCxI5AHAI0lBOIebFgZgIYp75WBgZGZiYWsIrW/////v7D8p+hXUvHzNZSS5ZRnlEDJNF+5dKJg0evPGS8z3iNoT00NrcsL9Ca0Y7RFyy5atHEjglrDzMeYNzI0F7fPnVGc1osYzpjOViyvjwzrXrGQsbpjO1AlWu2bFs1axrjXMblYMnQIC+PkJQMxkTGcKAdV65ev3rxAuNlxitgSS0tTXVNXT1GbUYtBs7/ICEgAgCljt2pVwMAAA==',
  ),
  sgiPlain: unpack(
    'H4sIAAAAAAACA2O8xcDIwMzAycAOJCHgP8MoGEGAkZkJRGnpmNlaasnKa4TG5pblBVrb+da3T53RnBabXr5qzZZtq2ZNm7v8ypWr169evHD5yn8YoNDu/////v4DMufKpRMHj155eP/aqkUTOyasPXxgY315Zlr1jIXT20ODvDxCUjISw7W0NNU1dfW0teDaAa7dhRS9AgAA',
  ),
  pcxPalette: unpack(
    'H4sIAAAAAAACA+NiZeRgAAIOBjYQxfCfgeEKg9ZVBs3rDOoXGXQvMOhdZtBexRC6hiFoC4PXNgaPVQwhsxhSpjFkzGVIXM4QzsDIycDIQD44yXCIkYmZiYWVjZGdg5OLm4eXj19AUEhYRFRMXEJSSlpGVk5eQVFJWUVVTUldQ/OQlraO7hEtHlKdWc9Q385QPpUhcwZDWjNDdRrDjFiGhekM08sZ2kMZVsUyLMplmFjG0JHHMCGQYa01w2E7hgO+DBu1GK7oMFwyYzhhy3DQkuGoLMNDeYb7GgzXgMHEyPCXmeE3E8Of////M4yCUUBfAADiZTiZtwMAAA==',
  ),
  pcxDirect: unpack(
    'H4sIAAAAAAACA+NiZeRgAAIOBjYGsgAzJwMjA/ng5P+TDCcZDl05ePXgdSC+ePDCwcsHrwBFtDTVNXX1tLVWrdmybdWsaXOXn2QIDfLyCEnJSAyvb586ozktNr38JEN9eWZa9YyF09tDY3PL8gKt7XxPMqxaNLFjwtqDhw8e2KilY2ZrqSUrr3GS4eCVg5cOnjh48OBRIOvhwfsHrx1iYGRmOgKy/v/Bvwd/H/xz5D8Aj7X53w8BAAA=',
  ),
  xpm: unpack(
    'H4sIAAAAAAACAz3Sy07DMBAF0H2+wiqPRejDeTqmFJEm7Q7BshJCqLShDRQSklQtQvw7d64EWeVoPJ7x2CNXLe5vlTty2m7ZlSu12i4b5R7r96enh0c1Ud/OyFWrard//2hVUx1aQdW0XNgO6qIZ1OWx2MkWPauMCo3yVK/v9JRaqaZYy+8Qvyd5qLWfChdkBFphRRrQCO9ID8yFF6QGZ8IbMgCnwhNhmmodRcJTMgN94Zlwiroh656TMZgI3f/cUDgRWjAmByQWx1w8JtFH7AkvmYueI/Z8LTRzrc1c2BcmiBpGr5iL88Y8r0cmYCz0uRgnMjxRIIxR17JuKIxQN2XdiFHsbLlzzLpgQhouRqGU503+czkNy1zQcivNXBRKWOiT0RmiWnhgLm4h5S0UwmCqdRYIGxKLMy7uhCF2nnLnL6GPSeac5J7EpeRso2Qu6masW5PIzZi7JC3IC22FHqIzRtck5pxzzi/cGZPMOckN+LzbF/K/lZBG/3P2/0piyHMO+Y30wUy4Aw/bspNMPHc+6JYvWv19fMbDRbW4u7gZ8uWdnp27k8H4kvffv/L8IIzYhkms/jwUTcdZ7Mt6+dWuX9jgZvv6tsHXc37Gzi+HrLIlfAMAAA==',
  ),
  xbm: unpack(
    'H4sIAAAAAAACA1NOSU3LzEtV0I0vz0wpyVCw5FKGi2SkZqZnlCiYcxWXJJZkJiskZyQWAYWTMkuKo2MVbBWquRQUDCoMDHSwkyYItgtExBBEurlhY4ONQnBrrbkA+05xsJoAAAA=',
  ),
}

/** Blocks of 8 × 8 pixels, and their RGBA. */
export const BLOCKS = {
  BC1: {
    data: unpack('H4sIAAAAAAACA3vXcORDelqaR/KHvI6GR69rTTLnCnSt+h8vmDmXgWvF/1oAA8VmEiAAAAA='),
    pixels: unpack(
      'H4sIAAAAAAACA2NgYGD4LqH4f6+U138Q/Z1HAo4v85jBxWE0SAwmt54nBEMeJAaSg8m3yBSD5UA0SL6HpxgsDsIgto/sXjDOVlkKpt2l1oJxtkIPGMPk4eqAYjA1IKwndg0FK4ueQ8EwcQGB92DMAMQwORAbALReX7wAAQAA',
    ),
  },
  BC2: {
    data: unpack(
      'H4sIAAAAAAACAxP4/+n/xt0TZh754MzXzMDA8BHKT/6Q19Hw6HVtQfn//+/e/f9vkjlXoGvV/3gYXzBzLgPXiv+1ABlnO4lAAAAA',
    ),
    pixels: unpack(
      'H4sIAAAAAAACAwvvl2b4LqEoCMT/lwfL/f/OIyEIxCD6/2Ues/9AcSWQHAwDxZRgcut5Qv5D9e6GYaCYIFBuNwgD2SAxkPkzYbiHp5gBKD4ThIHsmT6yexmAuDxbZWk5iHaXWssAxOXZCj1gDBT7j4yBYv+B8nCsJ3btHTJWFj2HgoFiIDX/BQTegzEDEAPFwRjEBgBPp54dAAEAAA==',
    ),
  },
  BC3: {
    data: unpack(
      'H4sIAAAAAAACA2P4mHd7W673pCMfnPmaGRgYJnwEcm6reSZ/yOtoePS6lr8AwjfJnCvQtep/PIwvmDmXgWvF/1oASRtulkAAAAA=',
    ),
    pixels: unpack(
      'H4sIAAAAAAACAwvvl2b4LqF4AISXB8sd+M4jcReGL/OY3YXJwTBQ7BRQ7hSIXs8TcgpdHii2DSgHxiA2UGwCMu7hKV4MFAdjENtHdm8MCGerLAXT7lJrwThboQeMgWKeyBgo5gmUh2M9sWumyFhZ9BwKBoopgbCAwHswZgBioDgYg9gA5Kr+BgABAAA=',
    ),
  },
}

/** A JPEG of 8 × 8 pixels with the four components 20, 80, 200 and 128, without a marker for their colours. */
export const JPEG = unpack(
  'H4sIAAAAAAACA/t/4/9tBmcGJkYQAJFMIMDCDCJZWViYWdhY2djAmJ2TA4jZ2dg4uDk4uUAAyOLh5uIBcf4fYBDhYABCFmdBBl9BhkhBBm9Bhv9HGOQZGBhZwYYzMkABIxMzCysbO9AQbqCCrQJAy5mZgVayAu0DytYC5RlYBFmFFA0d2YQDE9mVCkWMGicu5FB22nhQNOjiBxXjpKImTi4xcQlJKVU1dQ1NLRNTM3MLSytnF1c3dw9Pr+CQ0LDwiMio5JTUtPSMzKziktKy8orKquaW1rb2js6uSZOnTJ02fcbMWYsWL1m6bPmKlas2bd6yddv2HTt3HTp85Oix4ydOnrp0+crVa9dv3Lz18NHjJ0+fPX/x8tXHT5+/fP32/cfPX/9vMfCxODP4MkQyeDMw2DP88V/f//pLU9f/mwDz3aI5TwEAAA==',
)
