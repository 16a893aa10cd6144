/** One MP3 frame: 576 samples at 24 kHz. */
export const FRAME_MS = 24;
