import { Link } from '../../lib/router.tsx';
import { sendTestMail, useSetup } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Badge, List, Page, Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { SetUp } from './set-up.tsx';

const texts = operatorStrings.setup;

/** What is decided once: entered here on a new server, and later shown here and changed at the server. */
export function Screen() {
  const setup = useSetup();
  if (setup.data && setup.data.state !== 'closed') return <SetUp setup={setup.data} />;
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Loaded from={setup} lines={7}>
        {({ items }) => (
          <List label={texts.title}>
            <Row detail={texts.you.detail} actions={<Link to="/account">{texts.you.change}</Link>}>
              {texts.you.title}
            </Row>
            {items.map(({ item, value, settings }) => (
              <Row
                key={item}
                detail={
                  <>
                    {value ?? texts.items[item].without}
                    <p>{texts.setBy(settings.join(', '))}</p>
                  </>
                }
                actions={
                  <>
                    {item === 'mail' && value !== null && <TestMail />}
                    <Badge>{value === null ? texts.notSet : texts.isSet}</Badge>
                  </>
                }
              >
                {texts.items[item].title}
              </Row>
            ))}
          </List>
        )}
      </Loaded>
    </Page>
  );
}

function TestMail() {
  const send = useAction(sendTestMail, ({ to }) => toast({ title: texts.mailSent(to) }));
  return (
    <Button look="quiet" busy={send.isPending} onClick={() => send.mutate()}>
      {texts.testMail}
    </Button>
  );
}
