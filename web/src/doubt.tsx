/** A question to somebody whose work would take long. */

interface Props {
  question: string;
  command: string;
  onAnswer(): void;
}

export function Doubt({ question, command, onAnswer }: Props) {
  return (
    <p class="problem" role="alert">
      {question} The program is faster: copy the scenario and give <code>{command}</code>.{" "}
      <button type="button" onClick={onAnswer}>Run it here</button>
    </p>
  );
}
