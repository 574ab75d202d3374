/** Messages between the page and a worker. */

import type { Answer } from "./instance";

export type Request = { module: WebAssembly.Module } | { id: number; question: string };

export type Reply = ({ id: number } & Answer) | { id: number; trapped: string };
