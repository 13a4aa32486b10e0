namespace OrderDesk;

internal sealed record Mail(string To, string Subject, string Text);
