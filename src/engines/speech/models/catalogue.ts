/** A model that can be downloaded by its name. */
export interface KnownModel {
  name: string;
  /** Where it is on the hub: repository, revision, file. The revision is fixed, so the file cannot change. */
  repository: string;
  revision: string;
  file: string;
  bytes: number;
  sha256: string;
  /** `English`, or how many. */
  languages: string;
  licence: string;
}

/**
 * Whisper as whisper.cpp publishes it: name, languages, bytes, SHA-256. The sums are those that the hub shows for this
 * revision. whisper.cpp's models/README.md has SHA-1 sums; both are the sums of base.en, which comes with Steno.
 */
const whisperRevision = '5359861c739e955e79d9a303bcbc70fb988958b1';
const whisperFiles = `
tiny.en English 77704715 921e4cf8686fdd993dcd081a5da5b6c365bfde1162e72b08d75ac75289920b1f
tiny 99 77691713 be07e048e1e599ad46341c8d2a135645097a538221678b7acdd1b1919c6e1b21
base.en English 147964211 a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002
base 99 147951465 60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe
small.en English 487614201 c6138d6d58ecc8322097e0f987c32f1be8bb0a18532a3f88f734d1bbf9c41e5d
small 99 487601967 1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b
small-q5_1 99 190085487 ae85e4a935d7a567bd102fe55afc16bb595bdb618e11b2fc7591bc08120411bb
medium.en English 1533774781 cc37e93478338ec7700281a7ac30a10128929eb8f427dda2e865faa8f6da4356
medium 99 1533763059 6c14d5adee5f86394037b4e4e8b59f1673b6cee10e3cf0b11bbdbee79c156208
medium-q5_0 99 539212467 19fea4b380c3a618ec4723c3eef2eb785ffba0d0538cf43f8f235e7b3b34220f
large-v3-turbo 100 1624555275 1fc70f774d38eb169993ac391eea357ef47c88757ef72ee5943879b7e8e2bc69
large-v3-turbo-q5_0 100 574041195 394221709cd5ad1f40c46e6031ca61bce88931e6e088c188294c6d5a55ffa7e2
large-v3-turbo-q8_0 100 874188075 317eb69c11673c9de1e1f0d459b253999804ec71ac4c23c17ecf5fbe24e259a1
large-v3 100 3095033483 64d182b440b98d5203c4f9bd541544d84c605196c4f7b845dfa11fb23594d1e2
large-v3-q5_0 100 1081140203 d75795ecff3f83b5faa89d1900604ad8c780abd5739fae406de19f23ecd98ad1
`;

export const catalogue: readonly KnownModel[] = [
  ...whisperFiles
    .trim()
    .split('\n')
    .map((line): KnownModel => {
      const [size = '', languages = '', bytes, sha256 = ''] = line.split(' ');
      return {
        name: `whisper-${size}`,
        repository: 'ggerganov/whisper.cpp',
        revision: whisperRevision,
        file: `ggml-${size}.bin`,
        bytes: Number(bytes),
        sha256,
        languages,
        licence: 'MIT',
      };
    }),
  {
    name: 'parakeet-tdt-0.6b-v3',
    repository: 'handy-computer/parakeet-tdt-0.6b-v3-gguf',
    revision: '85ac09ea12fc4b1112fa76810059364bc6adc9de',
    file: 'parakeet-tdt-0.6b-v3-Q8_0.gguf',
    bytes: 739_508_576,
    sha256: '5859f77944efcd8eafa23a6350731960b2b55b2203df51f319665c807d802cc7',
    languages: '25',
    licence: 'CC-BY-4.0',
  },
];

/** `whisper-small`, or `small` for short. */
export const knownModel = (name: string) =>
  catalogue.find((model) => model.name === name || model.name === `whisper-${name}`);

/** Hugging Face and its mirrors all have the same paths. */
export const downloadUrl = ({ repository, revision, file }: KnownModel, hub: string) =>
  `${hub.replace(/\/+$/, '')}/${repository}/resolve/${revision}/${file}`;
