import { strings } from '../../strings.ts';
import { Icon } from '../../ui/icon.tsx';
import { List, Row } from '../../ui/page.tsx';

const texts = strings.account.data;

/** Everything that the person has, to take away. */
export const OwnData = () => (
  <List label={texts.title}>
    <Row
      detail={texts.exportDetail}
      actions={
        <a className="button" href="/api/v1/export" download>
          <Icon name="download" />
          {texts.export}
        </a>
      }
    >
      {texts.everything}
    </Row>
  </List>
);
