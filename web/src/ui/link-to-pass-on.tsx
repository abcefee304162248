import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextField } from './field.tsx';
import styles from './link-to-pass-on.module.css';
import { Notice } from './states.tsx';

interface Props {
  title: string;
  detail: string;
  label: string;
  link: string;
  onDone(): void;
}

/** For servers without mail: somebody passes the link on. It is shown once, so it stays until it is dismissed. */
export const LinkToPassOn = ({ title, detail, label, link, onDone }: Props) => (
  <Notice title={title}>
    <p>{detail}</p>
    <div className={styles.link}>
      <TextField label={label} labelHidden readOnly value={link} onFocus={(event) => event.target.select()} />
      <CopyButton text={link} label={commonStrings.copyLink} />
      <Button look="quiet" onClick={onDone}>
        {commonStrings.dismiss}
      </Button>
    </div>
  </Notice>
);
