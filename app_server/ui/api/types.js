/** Shapes of the browser API, for type checking only. */

/** @typedef {{id: string, email: string, kind: "account" | "anonymous" | "local", isAdmin: boolean, mustChangePassword: boolean}} User */
/** @typedef {{maxUploadMb: number, formats: string[], uploadTransport?: "proxy" | "presigned", hasChangelog?: boolean}} Features */
/** @typedef {{mode: "accounts" | "single-user", policy: "open" | "approval" | "closed", guests: boolean, sendsEmail: boolean, providers: {id: string, name: string}[]}} SignIn */
/** @typedef {{user: User | null, version: string, signIn: SignIn, features: Features}} Session */
/** @typedef {{phase: string, done: number, total: number}} Progress */
/** @typedef {{segmentOrdinal: number, blockId: string, offset: number, section: number, fraction: number, updatedAt?: string}} Position */
/**
 * @typedef {object} LibraryDocument
 * @property {string} id
 * @property {string} title
 * @property {string[]} authors
 * @property {string} language a BCP 47 tag, "" while unknown
 * @property {string | null} sourceUrl of a web page
 * @property {string} fileName
 * @property {string} format
 * @property {number} sizeBytes
 * @property {"processing" | "ready" | "failed"} state
 * @property {Progress | null} progress
 * @property {boolean} isOutdated an older version has read it
 * @property {{code: string, message: string, retryable: boolean} | null} error
 * @property {string} createdAt
 * @property {number | null} characterCount
 * @property {number | null} sectionCount
 * @property {string | null} cover
 * @property {string | null} pageVersion of the images of its pages, null where it has none
 * @property {Position | null} position
 */

/** @typedef {{document: LibraryDocument, isDuplicate: boolean}} Added what came into the library, or was there already */

/** Proto JSON leaves out default values: every scalar below may be absent in the answer and is filled in on arrival. */
/** @typedef {{title: string, section: number, blockId: string, children: TocEntry[]}} TocEntry */
/** @typedef {{index: number, title: string, firstSentence: number, sentenceCount: number, characterCount: number, blockCount: number, firstPage: number, lastPage: number}} SectionSummary */
/**
 * @typedef {object} ReadingDocument
 * @property {string} title
 * @property {string[]} authors
 * @property {string} language
 * @property {TocEntry[]} toc
 * @property {SectionSummary[]} sections
 * @property {{code: string, message: string}[]} warnings
 * @property {string} parserVersion
 * @property {{resource?: string, weight?: number, isItalic?: boolean}[]} fonts faces of the type that the file brings for its text
 * @property {{narrators?: string[], durationSeconds?: number, clipCount?: number, wrongCount?: number} | null} narration that the file brings
 * @property {{width: number, height: number}[]} pages their sizes in points; none for a document without pages
 */
/** @typedef {{ordinal: number, start: number, end: number}} Sentence */
/** @typedef {{page?: number, left?: number, top?: number, right?: number, bottom?: number, start?: number, wordStarts?: number[], wordEdges?: number[], isVertical?: boolean}} PageLine as it comes */
/** @typedef {{id: string, role: string, headingLevel: number, text: string, language: string, sentences: Sentence[], locator?: {page?: {lines?: PageLine[]}}}} Block */
/** @typedef {{index: number, title: string, html: string, blocks: Block[], language: string, direction: string}} Section */

/** @typedef {{ref: string, displayName: string, type: string, defaultModel: string, status?: "ready" | "key_unreadable"}} Provider */
/** @typedef {{voiceId: string, name: string, language: string}} Voice */
/** @typedef {{providerRef: string, model?: string, voice?: string, language?: string, nativeSpeed?: number, instructions?: string}} SpeechSettings */
/** @typedef {{ordinal: number} | {locator: {blockId: string, offset: number}}} PlaybackStart */
/**
 * @typedef {object} PlaybackSession
 * @property {string} sessionId
 * @property {string} planUrl
 * @property {string} eventsUrl
 * @property {string} audioUrl
 * @property {string} audioExpiresAt
 * @property {number} startOrdinal
 * @property {number} segmentCount
 * @property {SpeechSettings} settings
 */
/** @typedef {{ordinal: number, blockId: string, start: number, end: number, firstSentence: number, sentenceCount: number, pauseFrames: number}} PlanSegment */
/** @typedef {{section: number, title: string, firstOrdinal: number, segmentCount: number, characterCount: number, segments?: PlanSegment[]}} PlanSection */
/** @typedef {{planId: string, segmentCount: number, sections: PlanSection[]}} PlanPart */
/** A word: first and last millisecond in its segment, first and last code point in its block. @typedef {[startMs: number, endMs: number, start: number, end: number]} WordTime */
/**
 * @typedef {object} SegmentEvent
 * @property {number} ordinal
 * @property {number} frames
 * @property {number} pauseFrames
 * @property {boolean} exact
 * @property {boolean} failed
 * @property {boolean} cached
 * @property {WordTime[]} words
 */
/** @typedef {{code: string, message: string, ordinal?: number, retryable: boolean}} PlaybackProblem */

export {};
