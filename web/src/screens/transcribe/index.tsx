import { strings } from '../../strings.ts';
import { Page } from '../../ui/page.tsx';

export const Screen = () => (
  <Page title={strings.transcribe.title}>
    <p />
  </Page>
);
