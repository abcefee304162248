import { useStrippedSources } from './stripped-sources.js';

useStrippedSources();
