import { v7, validate } from 'uuid';

/** Version 7: ids sort by the time they were created. */
export type NewId = () => string;
export const newUuid: NewId = () => v7();

export const isUuid = (text: string): boolean => validate(text);
