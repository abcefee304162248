import { beforeEach } from 'vitest';

/** In the project `rest` of the slow suite: `npm test` runs the others. */
beforeEach(({ task, skip }) => {
  if (!task.tags?.includes('slow') && !task.name.endsWith('on a phone')) skip();
});
